package dev.rlm.runs.report.sheets;

/** Output of a report for people. */
public interface Sheet {
    /** Marks for readers who can do without anything but ASCII. */
    String ASCII = "_.-:=+*#";

    /** Marks that look like a curve. */
    String BLOCKS = "▁▂▃▄▅▆▇█";

    void heading(String text);

    /** A table; nothing where it has no rows. */
    void grid(Grid grid);

    /** A table under a heading. */
    default void grid(String heading, Grid grid) {
        heading(heading);
        grid(grid);
    }

    /** A line of text. */
    void line(String text);

    /** Says at the end what the sheet had no room for. */
    default void finish() {}

    /** A line of text that is behind all others, in one piece. */
    void last(String text);

    /** Returns the marks that curves are drawn with, from the lowest to the highest. */
    String marks();
}
