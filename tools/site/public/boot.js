// Runs before the page is shown. Where the site is: it may lie below any path of any server.
globalThis.docsBase = new URL('.', document.currentScript.src).pathname;
{
  const kept = localStorage.getItem('vitepress-theme-appearance') || 'auto';
  const isDark = kept === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : kept === 'dark';
  document.documentElement.classList.toggle('dark', isDark);
  document.documentElement.classList.toggle('mac', /Mac|iPhone|iPod|iPad/i.test(navigator.platform));
}
