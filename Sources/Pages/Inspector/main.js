document.body.textContent = "The inspector";
