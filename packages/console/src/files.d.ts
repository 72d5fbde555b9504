declare module '*.css';
declare module '*.svg' {
  /** The address of the file. */
  const url: string;
  export default url;
}
