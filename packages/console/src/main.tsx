import '@countersign/protocol/replace-json-parse';
import 'look/tokens.css';
import './ui/base.css';
import './ui/dialog.css';
import './ui/parts.css';
import './app/shell.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { Framed } from './app/framed.js';
import { applyTheme } from './ui/settings.js';

applyTheme();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(window.top === window ? <App /> : <Framed />);
}
