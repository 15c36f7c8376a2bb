// Runs before the first paint: the chosen theme, or the system's. Kept in step with next-themes (key `theme`).
(() => {
  let theme = 'system';
  try {
    theme = localStorage.getItem('theme') || 'system';
  } catch {}
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.add(dark ? 'dark' : 'light');
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
})();
