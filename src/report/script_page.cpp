#include "report/script_page.hpp"

#include <fmt/format.h>

#include "report/html.hpp"

namespace minnow {

std::string script_page(const ScriptPage& page) {
  const std::string title = html_text(page.title);
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:; script-src {}\">\n",
      script_hash(page.script));
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n";
  html += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}", title, page.style, page.body);
  if (!page.data.empty()) html += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", page.data);
  html += fmt::format("<script>{}</script>\n</body>\n</html>\n", page.script);
  return html;
}

}  // namespace minnow
