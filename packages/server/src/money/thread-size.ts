/** Intents that follow from one another, the first included (interface/intents#forwarding). */
export const THREAD_SIZE = 10;
