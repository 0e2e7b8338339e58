package dev.rlm.runner.taskfolder;

import dev.rlm.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Verdict of a verifier.
 *
 * @param reward NaN where it came to none
 * @param absence why it came to none; {@code null} where it came to one
 * @param numbers all that it told, by name
 */
record VerifierVerdict(double reward, @Nullable String absence, Map<String, Double> numbers) {
    private static final String TEXT = "reward.txt";
    private static final String JSON = "reward.json";
    private static final String REWARD = "reward";
    private static final int MAX_BYTES = 1 << 20;
    private static final Set<Integer> NOT_RUN =
            Set.of(126, 127); // a shell's exit codes for programs that it cannot start

    static VerifierVerdict absent(String why) {
        return new VerifierVerdict(Double.NaN, why, Map.of());
    }

    /**
     * Reads what a verifier has left: a number in {@code reward.txt}, an object of numbers in {@code reward.json}, or its exit
     * code alone.
     */
    static VerifierVerdict of(CommandResult verifier, Path logs) {
        if (verifier.ended() != null) {
            return absent("the verifier " + verifier.ended());
        }
        try {
            String json = read(logs.resolve(JSON));
            Map<String, Double> numbers = json == null ? Map.of() : numbers(json);
            String text = read(logs.resolve(TEXT));
            VerifierVerdict verdict = text != null ? of(text) : json != null ? of(numbers) : of(verifier.exitCode());
            return new VerifierVerdict(verdict.reward, verdict.absence, numbers);
        } catch (IOException e) {
            return absent("the verifier's " + e.getMessage());
        }
    }

    private static VerifierVerdict of(String text) {
        try {
            double reward = Double.parseDouble(text.strip());
            return Double.isNaN(reward)
                    ? absent("the verifier's reward.txt says NaN")
                    : new VerifierVerdict(reward, null, Map.of());
        } catch (NumberFormatException e) {
            return absent("the verifier's reward.txt has no number");
        }
    }

    private static VerifierVerdict of(Map<String, Double> numbers) {
        Double reward = numbers.size() == 1 ? numbers.values().iterator().next() : numbers.get(REWARD);
        return reward == null
                ? absent("the verifier's reward.json has no \"reward\", and " + numbers.size() + " numbers")
                : Double.isNaN(reward)
                        ? absent("the verifier's reward.json says NaN")
                        : new VerifierVerdict(reward, null, Map.of());
    }

    private static VerifierVerdict of(int exitCode) {
        if (exitCode < 0) {
            return absent("the verifier was killed by signal " + -exitCode);
        }
        return NOT_RUN.contains(exitCode)
                ? absent("the verifier could not start a program: exit code " + exitCode)
                : new VerifierVerdict(exitCode == 0 ? 1 : 0, null, Map.of());
    }

    private static Map<String, Double> numbers(String json) throws IOException {
        Map<String, Double> numbers = new LinkedHashMap<>();
        try {
            for (Map.Entry<String, JsonNode> field : Json.REPLY.object(json).properties()) {
                numbers.put(field.getKey(), Objects.requireNonNull(Json.number(field.getValue())));
            }
        } catch (JacksonException | NullPointerException e) {
            throw new IOException(JSON + " is no object of numbers", e);
        }
        return numbers;
    }

    /** Reads a file; {@code null} where there is none. Follows no link: one that code has planted may lead out of the sandbox. */
    private static @Nullable String read(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        } else if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > MAX_BYTES) {
            throw new IOException(file.getFileName() + " is no file, or a large one");
        }
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
