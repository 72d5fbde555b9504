/** Points of the picture, and of the margins of each panel. */
const WIDTH = 900;
const PANEL = 190;
const LEFT = 64;
const RIGHT = 16;
const TOP = 34;
const BOTTOM = 26;

/** Points that a line is drawn through at most. */
const POINTS = 600;

const COLOURS = ['#0b6e4f', '#c8553d', '#2f6690', '#8d6a9f'];

/**
 * Draws lines over time, one panel below the other.
 *
 * @param panels `[{ title, unit, marks: [value], lines: [{ name, values }] }]`, one value a second
 * @returns SVG
 */
export function draw(panels) {
  const height = panels.length * PANEL;
  const body = panels.map((panel, at) => `<g transform="translate(0 ${at * PANEL})">${panelOf(panel)}</g>`).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="11">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${body}
</svg>
`;
}

function panelOf({ title, unit, marks = [], lines }) {
  const seconds = Math.max(...lines.map(({ values }) => values.length), 1);
  const most = roundUp(Math.max(...lines.flatMap(({ values }) => thin(values)), ...marks, 1));
  const x = (second) => LEFT + (second / Math.max(1, seconds - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => PANEL - BOTTOM - (value / most) * (PANEL - TOP - BOTTOM);
  const grid = [0, 0.5, 1].map((share) => rule(y(share * most), `${label(share * most)}`));
  const marked = marks.map(
    (mark) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(mark)}" y2="${y(mark)}" stroke="#c00" stroke-dasharray="4 3"/>`,
  );
  const drawn = lines.map(({ values }, at) => {
    const step = seconds / Math.min(POINTS, seconds);
    const points = thin(values).map((value, index) => `${x(index * step).toFixed(1)},${y(value).toFixed(1)}`);
    return `<polyline fill="none" stroke="${COLOURS[at]}" stroke-width="1.2" points="${points.join(' ')}"/>`;
  });
  const names = lines.map(
    ({ name }, at) => `<tspan dx="${at === 0 ? 0 : 14}" fill="${COLOURS[at]}">&#9632; ${name}</tspan>`,
  );
  const times = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const anchor = share === 0 ? 'start' : share === 1 ? 'end' : 'middle';
    const at = x(share * (seconds - 1)).toFixed(0);
    return `<text x="${at}" y="${PANEL - 8}" text-anchor="${anchor}" fill="#666">${timeOf(share * seconds)}</text>`;
  });
  return [
    `<text x="${LEFT}" y="18" font-size="13" font-weight="600">${title}, ${unit}</text>`,
    `<text x="${WIDTH - RIGHT}" y="18" text-anchor="end">${names.join('')}</text>`,
    ...grid,
    ...marked,
    ...drawn,
    ...times,
  ].join('\n');
}

function rule(y, text) {
  return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}" stroke="#e3e3e3"/>
<text x="${LEFT - 6}" y="${y + 4}" text-anchor="end" fill="#666">${text}</text>`;
}

/** The greatest value of each stretch: a second that was slow stays in sight. */
function thin(values) {
  if (values.length <= POINTS) return values;
  const step = values.length / POINTS;
  return Array.from({ length: POINTS }, (_, at) =>
    Math.max(...values.slice(Math.floor(at * step), Math.floor((at + 1) * step))),
  );
}

/** The next value whose half is round as well. */
function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * [1, 2, 4, 6, 8, 10].find((one) => one * unit >= value);
}

function label(value) {
  return value >= 1_000 ? `${value / 1_000}k` : String(Number(value.toFixed(1)));
}

function timeOf(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
