import { describe, expect, it } from 'vitest';
import { firstSteps } from '../../src/cluster/first-steps.js';
import { parseConfig } from '../../src/config.js';

describe('the first steps that a new server advises', () => {
  const config = parseConfig({});

  it('are commands of the clone: npx and the tour', () => {
    const text = firstSteps(config, { isClone: true, hasNpm: true });
    expect(text).toContain('in another terminal:   npx countersign init acme\n');
    expect(text).toContain('   npm run tour\n');
  });

  it('leave out the tour where packages were installed', () => {
    const text = firstSteps(config, { isClone: false, hasNpm: true });
    expect(text).toContain('   npx countersign init acme\n');
    expect(text).not.toContain('npm run');
  });

  it('leave out npx in the image, which has the command alone', () => {
    const text = firstSteps(parseConfig({ HOST: '0.0.0.0' }), { isClone: false, hasNpm: false });
    expect(text).toContain('or container:   countersign init acme --server http://localhost:3000/v2\n');
    expect(text).not.toMatch(/\bnp[xm]\b/);
  });
});
