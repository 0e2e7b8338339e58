package dev.rlm.cli;

/** Tells commands that they are to end: the end of the process (Ctrl-C, SIGTERM), or of what executes commands as a process does. */
public interface StopSignal {
    /** The end of this process. */
    StopSignal PROCESS = new StopSignal() {
        @Override
        public void add(Thread hook) {
            Runtime.getRuntime().addShutdownHook(hook);
        }

        @Override
        public void remove(Thread hook) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    };

    /**
     * Has a thread started once the end comes, which waits until the thread has ended.
     *
     * @throws IllegalStateException if the end has come
     */
    void add(Thread hook);

    /**
     * Takes a thread back.
     *
     * @throws IllegalStateException if the end has come
     */
    void remove(Thread hook);
}
