package dev.rlm.cli.launcher;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A program that records and never ends by itself. Its arguments: what it does, and the file that it makes once it does it.
 */
public final class ShutdownProgram {
    private ShutdownProgram() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "one-hub" -> open(Sinks.fromEnvironment(), "one");
            case "two-hubs" -> {
                open(Sinks.fromEnvironment(), "one");
                open(second("second"), "two");
                second("closed").close();
            }
            case "hung-sink" -> {
                Sinks sinks = Sinks.fromEnvironment();
                sinks.add("hung", new HungSink());
                open(sinks, "one");
            }
            case "starting" -> start(Sinks.fromEnvironment());
            case "exiting" -> {
                exitOnceToldToEnd(Path.of(arguments[1]));
                return;
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        Files.createFile(Path.of(arguments[1]));
        Thread.sleep(Long.MAX_VALUE);
    }

    /** Ends as the program does, while a signal's hooks run; makes a file where that returns. */
    private static void exitOnceToldToEnd(Path ready) throws Exception {
        ExitWatchdog watchdog = ExitWatchdog.start();
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            told.countDown();
            try {
                var unused = returned.await(3, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        Files.createFile(ready);
        told.await();
        watchdog.exit(1);
        Files.createFile(ready.resolveSibling("returned"));
        returned.countDown();
    }

    private static Sinks second(String folder) {
        return Sinks.builder()
                .config(SinkConfig.system().with("RLM_JSONL_DIR", folder))
                .closeAtShutdown()
                .build();
    }

    private static void open(Sinks sinks, String runId) {
        Run run = sinks.startRun(RunSpec.builder("env").runId(runId).build());
        run.startStep();
        Evaluation evaluation = run.startStep().startEvaluation("judge");
        evaluation.startModelCall("openai", "m").message("user", "How good is it?");
    }

    /** Starts runs for as long as the process lives, from threads that nobody stops; returns once the first has started. */
    private static void start(Sinks sinks) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                for (long n = 0; ; n++) {
                    Run run = sinks.startRun(
                            RunSpec.builder("env").runId(number + "-" + n).build());
                    run.startStep();
                    started.countDown();
                    if (n % 2 == 0) {
                        run.complete("");
                    }
                    sinks.awaitRoom(Duration.ofSeconds(1));
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        started.await();
    }

    private static final class HungSink implements Sink {
        @Override
        public void onEvent(Event event) {
            while (true) {
                try {
                    Thread.sleep(1_000);
                } catch (InterruptedException e) {
                    // hangs all the same
                }
            }
        }
    }
}
