import { createRoot } from 'react-dom/client';
import { App, firstScreen } from './app/App';
import { recallLanguage } from './i18n';
import { registerWorker } from './pwa/register';

const root = document.getElementById('root');
if (root) void Promise.all([recallLanguage(), firstScreen]).then(() => createRoot(root).render(<App />));
void registerWorker();
