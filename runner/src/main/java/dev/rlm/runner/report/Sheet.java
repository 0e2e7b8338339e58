package dev.rlm.runner.report;

/** Where the report is written for people to read. */
interface Sheet {
    void heading(String text);

    /** A table; nothing where it has no rows. */
    void grid(Grid grid);

    /** A line of text. */
    void line(String text);
}
