package dev.rlm.runner.rescore;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.runner.openai.AskedModel;
import dev.rlm.sinks.SinkConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a model as judge. */
final class JudgeOptions {
    private static final String JUDGE = "--judge";

    @Option(
            names = JUDGE,
            arity = "2",
            paramLabel = "BASE_URL MODEL",
            hideParamSyntax = true,
            description =
                    "Judge by a model: the base URL of its server, such as http://localhost:8000/v1, and its name.")
    private List<String> judge = List.of();

    @Option(names = "--rubric", paramLabel = "FILE", description = "What the judge is told to judge by, as text.")
    private @Nullable Path rubric;

    @Option(names = "--samples", paramLabel = "N", description = "Judge each run N times (1): the mean is its score.")
    private int samples = 1;

    @Option(names = "--judge-steps", description = "Show the judge the steps too, and not the answer alone.")
    private boolean seesSteps;

    @Option(names = "--temperature", paramLabel = "T", description = "How random the judge's choices are.")
    private @Nullable Double temperature;

    @Option(
            names = "--api-key-env",
            paramLabel = "NAME",
            description = "The variable with the judge's key (RLM_OPENAI_API_KEY, else OPENAI_API_KEY).")
    @Nullable
    String keyVariable;

    @Option(
            names = "--model-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a judgement may take, with its retries (10m).")
    private Duration timeout = Duration.ofMinutes(10);

    boolean isGiven() {
        return !judge.isEmpty();
    }

    /** Returns the judge, whose server is asked whether it has the model. */
    Judge judge(SinkConfig config) {
        if (judge.size() != 2 || judge.stream().anyMatch(String::isBlank)) {
            throw new UsageException(JUDGE + " expects the base URL of a server and the name of a model, once");
        }
        Bounds.checkRange("--samples", samples, 1, 100);
        String instructions = rubric();
        AskedModel model = new AskedModel(JUDGE, judge.get(0), judge.get(1), config, keyVariable, temperature, timeout);
        return new Judge(model, instructions, samples, seesSteps);
    }

    private String rubric() {
        if (rubric == null) {
            throw new UsageException(JUDGE + " needs a --rubric: a file that says what to judge by");
        }
        try {
            String text = Files.readString(rubric, StandardCharsets.UTF_8);
            if (text.isBlank()) {
                throw new UsageException("--rubric " + rubric + " is empty: expected what to judge by, as text");
            }
            return text;
        } catch (IOException e) {
            throw new UsageException("--rubric " + rubric + " cannot be read: " + e, e);
        }
    }
}
