package dev.rlm.sinks.core.lane;

/** What is to be told of something that was thrown. */
final class Failure {
    private static final int MAX_LENGTH = 300;

    private Failure() {}

    /** What it says of itself in one line, for one that may even fail to do so. */
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
