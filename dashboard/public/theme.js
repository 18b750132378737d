// Before the first paint, so that no page shows the other theme, or rows of another height, first.
try {
  const theme = localStorage.getItem('posthorn.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('posthorn.rows') === 'compact') document.documentElement.dataset.rows = 'compact';
} catch {}
