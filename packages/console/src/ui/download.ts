/** Saves a text as a file of the person who looks. */
export function download(name: string, content: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\w.+@=-]/g, '_');
  link.click();
  URL.revokeObjectURL(url);
}
