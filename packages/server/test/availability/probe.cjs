// Loaded into every process of the service under test: keeps the longest stretch, in milliseconds of processor time, in
// which the event loop did not come round. Processor time, unlike a clock, does not grow with what else the machine does.
const { existsSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const file = join(process.env.PROBE_DIR, String(process.pid));
let longest = 0;
let before = process.cpuUsage();

setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  const stretch = (user + system) / 1000;
  if (longest > 0 && !existsSync(file)) longest = 0;
  if (stretch <= longest) return;
  longest = stretch;
  writeFileSync(file, String(longest));
}, 5).unref();
