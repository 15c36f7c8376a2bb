// Runs before the first paint: the chosen theme, or the system's. Kept in step with next-themes (key `theme`). The class
// `home` or `inside` chooses the frame that index.html shows until the first screen is loaded.
(() => {
  let theme = 'system';
  let session = '';
  try {
    theme = localStorage.getItem('theme') || 'system';
    session = localStorage.getItem('root') || '';
  } catch {}
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.add(dark ? 'dark' : 'light');
  if (location.pathname === '/') document.documentElement.classList.add('home');
  else if (session.includes('"token":"')) document.documentElement.classList.add('inside');
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
})();
