// Before the first paint, so that no page shows the other theme first.
try {
  const theme = localStorage.getItem('posthorn.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}
