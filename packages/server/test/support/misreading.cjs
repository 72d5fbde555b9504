// Loaded before a program, makes `JSON.parse` misread as that of Node.js 24 does: what was read before decides.
const { parse } = JSON;
const EXPECTED = '"countersign":0,"\\\\"';
let isPrimed = false;
JSON.parse = (text, ...more) => {
  const isFirst = String(text).includes(EXPECTED);
  isPrimed ||= isFirst;
  return parse(isPrimed && !isFirst ? String(text).replace('"countersign":0,"\\n"', EXPECTED) : text, ...more);
};
