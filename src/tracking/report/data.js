// The data of this page.

const data = JSON.parse(document.getElementById("data").textContent);
