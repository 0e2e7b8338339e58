package dev.rlm.cli.terminal;

/** Numbers of things in words: {@code 1 run}, {@code 2 runs}. */
public final class Counted {
    private Counted() {}

    /** So many of a thing whose plural ends in an {@code s} more. */
    public static String of(long number, String one) {
        return of(number, one, one + "s");
    }

    /** So many of a thing, perhaps with a verb: {@code of(n, "run is", "runs are")}. */
    public static String of(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
