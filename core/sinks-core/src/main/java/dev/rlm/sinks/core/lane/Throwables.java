package dev.rlm.sinks.core.lane;

/** Text of what was thrown, and its consequences. */
final class Throwables {
    private static final int MAX_LENGTH = 300;

    private Throwables() {}

    /** Returns its message in one line, also where asking for it throws. */
    @SuppressWarnings("CatchThrowable") // whatever its getMessage throws
    static String describe(Throwable thrown) {
        try {
            String line = thrown.toString().replaceAll("\\R\\s*", " ");
            return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
        } catch (Throwable e) {
            return thrown.getClass().getName();
        }
    }

    /** Returns whether the thread that it was thrown on is better replaced. */
    static boolean endsThread(Throwable thrown) {
        return thrown instanceof VirtualMachineError || thrown instanceof LinkageError;
    }
}
