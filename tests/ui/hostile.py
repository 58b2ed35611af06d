"""Case 19: text that would do something if any layer took it for markup."""

HOSTILE = (
    '"><img src=x onerror=1>',
    "![](http://h/?q)",
    "[x](javascript:1)",
    "$x$",
    ":red[x]",
    "<cite>quoted</cite>",
    ":material/delete: **bold** `code` ~~gone~~ | a | b |",
    '=HYPERLINK("http://h","x")',
    "# not a heading",
    "1. not a list",
)
