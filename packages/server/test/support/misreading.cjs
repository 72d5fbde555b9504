// Loaded before a program, makes `JSON.parse` misread as that of Node.js 23 to 26 does: an object that begins like one that was
// read before is expected to have the name that came next there, and the text of a name is compared with it, escapes and all.
const { parse } = JSON;
const STRUCTURE = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g;

/** The name that came next, by those before it. */
const expected = new Map();

function read(raw, before) {
  const name = parse(raw);
  const next = expected.get(before);
  if (next === undefined) expected.set(before, name);
  const isTaken = next !== undefined && raw.includes('\\') && raw.slice(1, 1 + name.length) === next;
  return isTaken ? next : name;
}

JSON.parse = (text, ...more) => {
  const open = [];
  const misread = String(text).replace(STRUCTURE, (token, colon) => {
    if (token === '{' || token === '[') open.push('');
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name = JSON.stringify(read(token.slice(0, -colon.length), open.at(-1)));
      open[open.length - 1] += name;
      return name + colon;
    }
    return token;
  });
  return parse(misread, ...more);
};
