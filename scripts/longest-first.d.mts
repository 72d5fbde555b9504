import { BaseSequencer } from 'vitest/node';

/** Begins with the longest files: one that began last would keep one worker after the others have ended. */
export class LongestFirst extends BaseSequencer {}
