import '@countersign/protocol/replace-json-parse';
import 'look/tokens.css';
import './ui/base.css';
import './ui/dialog.css';
import './ui/parts.css';
import './app/shell.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { Framed } from './app/framed.js';
import { router } from './app/routes.js';
import { applyTheme } from './ui/settings.js';

applyTheme();
// The client tries again by itself, where that is of use.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 10_000 } } });
const root = document.getElementById('root');
if (root !== null) {
  const app = (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
  createRoot(root).render(window.top === window ? app : <Framed />);
}
