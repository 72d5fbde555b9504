import DefaultTheme from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import '../../../../packages/server/look/tokens.css';
import './site.css';

export default {
  extends: DefaultTheme,
  setup() {
    // The button is named by what it shows.
    onMounted(() => document.querySelector('.DocSearch-Button')?.removeAttribute('aria-label'));
  },
  enhanceApp({ siteData }) {
    if (import.meta.env.SSR) return;
    // What the page brought has relative links, which would lead elsewhere from the next page.
    for (const link of document.querySelectorAll('a, link')) link.href = String(link.href);
    siteData.value = { ...siteData.value, base: globalThis.docsBase };
  },
};
