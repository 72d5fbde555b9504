// Loaded before any script (see package.json), and so written for whatever Node.js that may be: the scripts themselves
// could not even be read by an old one.
var oldest = [20, 19];
var version = process.versions.node.split('.').map(Number);
if (version[0] < oldest[0] || (version[0] === oldest[0] && version[1] < oldest[1])) {
  console.error(
    'countersign: needs Node.js ' +
      oldest.join('.') +
      ' or later, and this is ' +
      process.versions.node +
      ': see https://nodejs.org/dist',
  );
  process.exit(1);
}
