// Keeps the key for this address, then opens the page.
"use strict";
{
  const key = document.querySelector('meta[name="kml-key"]').content;
  if (key) localStorage.setItem("kml-key", key);
  location.replace(`/${location.hash}`);
}
