// Loaded before any script (see package.json), and so written for whatever Node.js that may be: the scripts themselves
// could not even be read by an old one.
var oldest = [20, 19];
var version = process.versions.node.split('.').map(Number);
if (version[0] < oldest[0] || (version[0] === oldest[0] && version[1] < oldest[1])) {
  console.error(
    'countersign: needs Node.js 20 (from ' +
      oldest.join('.') +
      ') or 22, and this is ' +
      process.versions.node +
      ': see https://nodejs.org/dist',
  );
  process.exit(1);
}

// The first test of `assertReadsJson` in packages/protocol, which is not compiled yet.
var before = JSON.parse('{"countersign":0,"\\\\":0}');
var after = JSON.parse('{"countersign":0,"\\n":0}');
if (!('\\' in before && '\n' in after)) {
  console.error('countersign: This Node.js misreads some member names in JSON, as 23 to 26 do: use Node.js 20 or 22.');
  process.exit(1);
}
