"""Jobs at the foot of the window: what runs, how far it is, what waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QVBoxLayout, QWidget

from gui import theme
from gui.clock import remaining
from gui.jobs import State, Task
from gui.widgets.basics import IconButton, Label, row


class JobBar(QFrame):
    """Shows tasks and asks for changes to them.

    Signals:
        cancel_requested(str), retry_requested(str): Id of a task.
        move_requested(str, int): Let it wait shorter (negative) or longer.
        pause_requested(bool): Stop or go on.
    """

    cancel_requested = Signal(str)
    retry_requested = Signal(str)
    move_requested = Signal(str, int)
    pause_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_paused = False
        self._first_id = ""
        self._waiting_rows: list[tuple[str, str]] = []
        self.setProperty("role", "bar")
        unit = theme.space(self)
        self._text = Label("", "", wraps=True)
        self._progress = QProgressBar()
        self._progress.setRange(0, 1000)
        self._progress.setAccessibleName(self.tr("Progress of the analysis"))
        self._pause = IconButton("pause", self.tr("Pause the queue"), size=1)
        self._cancel = IconButton("close", self.tr("Cancel this job"), size=1)
        self._more = IconButton("up", self.tr("Show waiting jobs"), size=1)
        self._more.setCheckable(True)
        self._list = QWidget()
        self._list_layout = QVBoxLayout(self._list)
        self._list_layout.setContentsMargins(0, 0, 0, unit)
        self._list_layout.setSpacing(unit)
        self._list.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * unit, unit, 3 * unit, 2 * unit)
        layout.setSpacing(0)
        layout.addWidget(self._list)
        top = row(self._text, self._more, self._pause, self._cancel, spacing=unit)
        top.setStretch(0, 1)
        layout.addLayout(top)
        layout.addWidget(self._progress)
        self._pause.clicked.connect(self._on_pause)
        self._cancel.clicked.connect(self._on_cancel)
        self._more.toggled.connect(self._list.setVisible)
        self.hide()

    def show_tasks(self, tasks: Sequence[Task], *, is_paused: bool) -> None:
        """Show the state of the queue."""
        self._is_paused = is_paused
        self.setVisible(bool(tasks))
        if not tasks:
            return
        first = next((task for task in tasks if task.state == State.RUNNING), tasks[0])
        others = [task for task in tasks if task.id != first.id]
        self._first_id = first.id
        self._text.setText(self._sentence(first, len(others)))
        fraction = first.progress.overall if first.progress else 0.0
        self._progress.setValue(round(1000 * fraction))
        self._progress.setVisible(first.state == State.RUNNING)
        icon, name = ("play", self.tr("Go on")) if is_paused else ("pause", self.tr("Pause"))
        self._pause.show_icon(icon, name)
        self._more.setVisible(bool(others))
        if not others:
            self._more.setChecked(False)
        # Rows are rebuilt only when the list changes, not with every step of progress.
        rows = [(task.id, f"{task.state}{task.error}") for task in others]
        if rows != self._waiting_rows:
            self._waiting_rows = rows
            self._fill(others)

    def _sentence(self, task: Task, n_others: int) -> str:
        parts = [task.name]
        if task.state == State.FAILED:
            parts.append(self.tr("failed: {reason}").format(reason=task.error))
        elif self._is_paused:
            parts.append(self.tr("paused"))
        elif task.progress is not None:
            parts.append(stage_name(task.progress.stage))
            parts.append(f"{task.progress.overall:.0%}")
            parts.append(remaining(task.progress.remaining))
        else:
            parts.append(self.tr("waiting for the engine"))
        if n_others:
            parts.append(self.tr("{n} more in the queue").format(n=n_others))
        return "  ·  ".join(part for part in parts if part)

    def _fill(self, tasks: Sequence[Task]) -> None:
        while (item := self._list_layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for task in tasks:
            self._list_layout.addWidget(self._task_row(task))

    def _task_row(self, task: Task) -> QWidget:
        line = QWidget()
        is_failed = task.state == State.FAILED
        text = f"{task.name} – {task.error}" if is_failed else task.name
        label = Label(text, "danger" if is_failed else "muted", wraps=True)
        drop = IconButton("close", self.tr("Remove {name}").format(name=task.name), size=1)
        drop.clicked.connect(lambda: self.cancel_requested.emit(task.id))
        buttons: list[QWidget] = [drop]
        if is_failed:
            retry = IconButton("retry", self.tr("Retry {name}").format(name=task.name), size=1)
            retry.clicked.connect(lambda: self.retry_requested.emit(task.id))
            buttons.insert(0, retry)
        else:
            up = IconButton("up", self.tr("Move {name} up").format(name=task.name), size=1)
            up.clicked.connect(lambda: self.move_requested.emit(task.id, -1))
            down = IconButton("down", self.tr("Move {name} down").format(name=task.name), size=1)
            down.clicked.connect(lambda: self.move_requested.emit(task.id, 1))
            buttons[:0] = [up, down]
        layout = row(label, *buttons)
        layout.setStretch(0, 1)
        line.setLayout(layout)
        return line

    def _on_pause(self) -> None:
        self.pause_requested.emit(not self._is_paused)

    def _on_cancel(self) -> None:
        self.cancel_requested.emit(self._first_id)


def stage_name(stage: str) -> str:
    """A stage of the engine in the language of the window."""
    from PySide6.QtCore import QCoreApplication

    def tr(text: str) -> str:
        return QCoreApplication.translate("stages", text)

    known = {
        "decode": tr("reading the sound"),
        "vad": tr("finding speech"),
        "detect speech": tr("finding speech"),
        "transcribe": tr("transcribing"),
        "diarize": tr("telling speakers apart"),
        "merge": tr("joining words and speakers"),
        "acoustics": tr("measuring voices"),
        "events": tr("listening for other sounds"),
        "graph": tr("linking what was said"),
        "embed": tr("linking what was said"),
        "enrich": tr("summing up"),
        "topics": tr("topics"),
        "decisions and action items": tr("decisions and action items"),
        "summary": tr("summary"),
    }
    return known.get(stage, stage)
