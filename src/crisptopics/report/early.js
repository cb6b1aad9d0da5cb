// Before the first line is drawn: scripts run, and the reader may have chosen light or dark.
document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("crisptopics-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* no storage: the system's choice */ }
