// 1 2: dev.rlm:sinks-api dev.rlm:sink-jsonl
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class Page {
    static final Logger log = LoggerFactory.getLogger(Page.class);
    static Run run = Run.NOOP;

    public static void main(String[] arguments) throws Exception {
        try (Sinks sinks = Sinks.fromEnvironment()) {
            run = sinks.startRun(RunSpec.builder("logging").build());
            new Page().block1();
            run.complete("");
        }
    }

    /** With what Java has from 21 on. */
    interface Executors {
        static ExecutorService newFixedThreadPool(int threads) {
            return java.util.concurrent.Executors.newFixedThreadPool(threads);
        }

        static ExecutorService newVirtualThreadPerTaskExecutor() {
            return java.util.concurrent.Executors.newCachedThreadPool();
        }
    }

    /** With what Java has from 21 on. */
    interface Thread {
        static void startVirtualThread(Runnable task) {
            new java.lang.Thread(task).start();
        }
    }
}
