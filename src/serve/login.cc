#include "serve/login.h"

#include <fmt/format.h>

#include "serve/access.h"

namespace hone::serve {

std::string loginPage() {
  return fmt::format(
      R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hone: token</title>
<style>
  :root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
  main {{ max-width: 30rem; margin: 15vh auto; padding: 0 1rem; }}
  input, button {{ font: inherit; padding: 0.3rem 0.6rem; }}
</style>
<main>
  <h1>hone</h1>
  <p><label for="token">Token of <code>hone serve</code>:</label></p>
  <p><input id="token" type="password" autocomplete="current-password" autofocus>
  <button id="open" type="button">Open</button></p>
</main>
<script>
  const open = () => {{
    const token = encodeURIComponent(document.getElementById("token").value.trim());
    document.cookie = `{}=${{token}}; path=/; SameSite=Strict`;
    location.reload();
  }};
  document.getElementById("open").onclick = open;
  document.getElementById("token").onkeydown = (event) => event.key === "Enter" && open();
</script>
)html",
      kCookie);
}

}  // namespace hone::serve
