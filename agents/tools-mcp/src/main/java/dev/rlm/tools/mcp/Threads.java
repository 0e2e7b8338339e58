package dev.rlm.tools.mcp;

/** Threads that keep no program from ending. */
final class Threads {
    private Threads() {}

    /** One that has not been started. */
    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }
}
