package dev.rlm.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tables on terminals of several widths. */
class TableTest {
    private final Table table = new Table(List.of("run", "task", "steps", "cost"), Set.of(2, 3))
            .cut("task")
            .shorten("run", run -> run.substring(0, 4))
            .leaveOut("steps", "cost");

    private List<String> leftOut = List.of();

    private List<String> printed(int width) {
        StringWriter out = new StringWriter();
        leftOut = table.print(new PrintWriter(out, true), Ink.NONE, width);
        return out.toString().lines().toList();
    }

    @Test
    void table_hasItsColumnsBelowEachOther() {
        rows();
        assertThat(printed(TerminalWidth.UNLIMITED))
                .containsExactly(
                        "run       task                   steps  cost",
                        "run-0001  add one and two            2     0",
                        "run-0002  multiply␛[31m 𝟛 by 4⏎     12     0");
        assertThat(leftOut).isEmpty();
    }

    @Test
    void narrowTable_leavesOutWhatTellsNothing_thenTakesTheOtherMeasuresInTurn_andCutsTexts() {
        rows();
        assertThat(printed(36))
                .containsExactly(
                        "run       task           steps  cost",
                        "run-0001  add one and …      2     0",
                        "run-0002  multiply␛[31…     12     0");
        assertThat(leftOut).isEmpty();
        assertThat(printed(30))
                .containsExactly(
                        "run       task           steps", //
                        "run-0001  add one and …      2",
                        "run-0002  multiply␛[31…     12");
        assertThat(leftOut).containsExactly("cost");
        assertThat(printed(24))
                .containsExactly(
                        "run   task         steps", //
                        "run-  add one an…      2",
                        "run-  multiply␛[…     12");
        assertThat(leftOut).containsExactly("cost");
        assertThat(printed(16)).containsExactly("run   task", "run-  add one a…", "run-  multiply␛…");
        assertThat(leftOut).containsExactly("cost", "steps");
        assertThat(printed(3)).containsExactly("run   task", "run-  add…", "run-  mul…");
    }

    private void rows() {
        table.row("run-0001", "add one and two", "2", "0");
        table.row("run-0002", "multiply\u001b[31m 𝟛 by 4\n", "12", "0");
    }

    @Test
    void colours_takeNoRoom() {
        StringWriter out = new StringWriter();
        Table painted = new Table(List.of("a", "b"), Set.of()).paint("a", Ink::red);
        painted.row("x", "y");
        painted.row("xx", "y");
        painted.print(new PrintWriter(out, true), new Ink(true));

        assertThat(out.toString().replaceAll("\u001b\\[[0-9;]*m", "").lines())
                .containsExactly("a   b", "x   y", "xx  y");
        assertThat(out.toString()).contains("\u001b[31mx\u001b[0m ");
    }

    @Test
    void note_tellsWhatIsLeftOut_inLinesThatFit() {
        StringWriter out = new StringWriter();
        TerminalWidth.printNote(new PrintWriter(out, true), Ink.NONE, List.of("cost", "steps"), 30);
        TerminalWidth.printNote(new PrintWriter(out, true), Ink.NONE, List.of(), 30);

        assertThat(out.toString().lines()).containsExactly("not shown on 30 columns: cost,", "steps (| cat shows all)");
        assertThat(TerminalWidth.wrap("a averyveryverylongword b", 6))
                .containsExactly("a", "averyveryverylongword", "b");
    }
}
