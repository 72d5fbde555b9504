/** The folder of this package, with a slash at its end. It is found from the compiled file, or from a bundle of all. */
export const PACKAGE = new URL('../../', import.meta.url);
