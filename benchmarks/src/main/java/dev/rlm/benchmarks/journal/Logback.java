package dev.rlm.benchmarks.journal;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.util.FileSize;
import dev.rlm.benchmarks.redaction.VariedTexts;
import java.nio.file.Path;

/** Logback's asynchronous appender, which discards nothing, with its JSON encoder and a large buffer, flushed at the end. */
final class Logback implements Recorder {
    private static final int QUEUE = 1 << 13; // events; the default is 256
    private static final int BUFFER = 1 << 20;

    private final LoggerContext context = new LoggerContext();
    private final AsyncAppender async = new AsyncAppender();

    Logback(Path folder) {
        context.setMDCAdapter(new LogbackMDCAdapter());
        FileAppender<ILoggingEvent> file = new FileAppender<>();
        file.setContext(context);
        file.setFile(folder.resolve("events.jsonl").toString());
        file.setEncoder(encoder());
        file.setImmediateFlush(false);
        file.setBufferSize(new FileSize(BUFFER));
        file.start();
        async.setContext(context);
        async.setQueueSize(QUEUE);
        async.setDiscardingThreshold(0);
        async.setNeverBlock(false);
        async.setMaxFlushTime(0); // as long as it takes
        async.addAppender(file);
        async.start();
    }

    private JsonEncoder encoder() {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithArguments(false);
        encoder.setWithMDC(false);
        encoder.setWithContext(false);
        encoder.setWithMarkers(false);
        encoder.setWithThrowable(false);
        encoder.setWithThreadName(false);
        encoder.start();
        return encoder;
    }

    @Override
    public Track track() {
        Logger logger = context.getLogger("journal");
        logger.setAdditive(false);
        logger.addAppender(async);
        return number -> step(logger, number);
    }

    private static void step(Logger logger, int number) {
        logger.atInfo()
                .addKeyValue("run_id", "run-0123456789abcdef")
                .addKeyValue("seq", 2L * number + 1)
                .addKeyValue("nanos", System.nanoTime())
                .addKeyValue("environment", "benchmark")
                .addKeyValue("model", "model")
                .addKeyValue("step", number)
                .addKeyValue("observation", VariedTexts.observation(number))
                .log("step_started");
        logger.atInfo()
                .addKeyValue("run_id", "run-0123456789abcdef")
                .addKeyValue("seq", 2L * number + 2)
                .addKeyValue("nanos", System.nanoTime())
                .addKeyValue("environment", "benchmark")
                .addKeyValue("model", "model")
                .addKeyValue("step", number)
                .addKeyValue("start_seq", 2L * number + 1)
                .addKeyValue("start_nanos", System.nanoTime())
                .addKeyValue("action_type", "run_python")
                .addKeyValue("code", VariedTexts.code(number))
                .addKeyValue("output", VariedTexts.output(number))
                .addKeyValue("success", true)
                .addKeyValue("reward", 0.0)
                .addKeyValue("cumulative_reward", 0.0)
                .log("step_ended");
    }

    @Override
    public void close() {
        async.stop();
        context.stop();
    }
}
