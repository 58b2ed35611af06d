"""Ask: question in, claims out, each beside the page it rests on."""

from grounded.ui import ask, frame, page

frame.frame("split")
with page.workspace() as workspace:
    documents = workspace.library.documents()
    scope = ask.top_row(workspace, documents)
    ask.body(workspace, documents, scope)
    with frame.foot():
        ask.question_box(workspace, documents, scope)
