package dev.rlm.benchmarks.journal;

import dev.rlm.benchmarks.redaction.VariedTexts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.message.StringMapMessage;

/** Log4j's asynchronous appender, which waits where its queue is full, with its JSON template layout and a large buffer. */
final class Log4j implements Recorder {
    private static final List<String> FIELDS = List.of(
            "type",
            "run_id",
            "seq",
            "nanos",
            "environment",
            "model",
            "step",
            "observation",
            "start_seq",
            "start_nanos",
            "action_type",
            "code",
            "output",
            "success",
            "reward",
            "cumulative_reward");
    private static final String CONFIGURATION = """
            <Configuration status="error">
              <Appenders>
                <RandomAccessFile name="file" fileName="%s" immediateFlush="false" bufferSize="1048576">
                  <JsonTemplateLayout eventTemplate='{"time":{"$resolver":"timestamp"},%s}'
                      maxStringLength="1048576"/>
                </RandomAccessFile>
                <Async name="async" bufferSize="8192" blocking="true" shutdownTimeout="0"><AppenderRef ref="file"/></Async>
              </Appenders>
              <Loggers><Root level="info"><AppenderRef ref="async"/></Root></Loggers>
            </Configuration>
            """;

    private final LoggerContext context;
    private final Logger logger;

    Log4j(Path folder) throws IOException {
        String fields = FIELDS.stream()
                .map(field -> "\"" + field + "\":{\"$resolver\":\"map\",\"key\":\"" + field + "\"}")
                .collect(Collectors.joining(","));
        byte[] configuration =
                CONFIGURATION.formatted(folder.resolve("events.jsonl"), fields).getBytes(StandardCharsets.UTF_8);
        context = Configurator.initialize(
                Log4j.class.getClassLoader(), new ConfigurationSource(new ByteArrayInputStream(configuration)));
        logger = context.getLogger("journal");
    }

    @Override
    public Track track() {
        return this::step;
    }

    private void step(int number) {
        logger.info(head("step_started", number, 1).with("observation", VariedTexts.observation(number)));
        logger.info(head("step_ended", number, 2)
                .with("start_seq", 2L * number + 1)
                .with("start_nanos", System.nanoTime())
                .with("action_type", "run_python")
                .with("code", VariedTexts.code(number))
                .with("output", VariedTexts.output(number))
                .with("success", true)
                .with("reward", 0.0)
                .with("cumulative_reward", 0.0));
    }

    private static StringMapMessage head(String type, int number, int event) {
        return new StringMapMessage()
                .with("type", type)
                .with("run_id", "run-0123456789abcdef")
                .with("seq", 2L * number + event)
                .with("nanos", System.nanoTime())
                .with("environment", "benchmark")
                .with("model", "model")
                .with("step", number);
    }

    @Override
    public void close() {
        Configurator.shutdown(context);
    }
}
