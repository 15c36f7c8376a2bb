import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { recallLanguage } from './i18n';

const root = document.getElementById('root');
if (root) void recallLanguage().then(() => createRoot(root).render(<App />));
