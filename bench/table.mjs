/** Rows of texts as lines: the first column to the left, the others to the right, under their headings. */
export function table(headings, rows) {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => row[at].length)));
  const line = (row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  ');
  return [line(headings), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** The middle one of several figures, the lower of the two when there are two; undefined when there is none. */
export function median(figures) {
  return [...figures].sort((a, b) => a - b)[(figures.length - 1) >> 1];
}
