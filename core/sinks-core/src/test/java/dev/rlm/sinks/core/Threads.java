package dev.rlm.sinks.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Starts several threads of a test at the same moment. */
final class Threads {
    private Threads() {}

    /** Runs the tasks at the same time, and fails if one fails. */
    static void together(Task... tasks) {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.length);
        CountDownLatch ready = new CountDownLatch(tasks.length);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (Task task : tasks) {
                Callable<Boolean> call = () -> {
                    ready.countDown();
                    await(ready);
                    task.run();
                    return true;
                };
                all.add(threads.submit(call));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    static void await(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    interface Task {
        void run() throws Exception;
    }
}
