package dev.rlm.runner.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.GsonNode;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code rlm run} records is what the published schemas say, with no field that they do not know. */
class JournalSchemaTest {
    @TempDir
    Path directory;

    @Test
    void journalOfARun_isValid() throws IOException {
        Cli run = Cli.with(
                Map.of(),
                "run",
                "--samples",
                "5",
                "--error-rate",
                "0.3",
                "--max-steps",
                "3",
                "--tag",
                "a=b",
                "--sink",
                "jsonl",
                "--journal",
                directory.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();

        assertThat(check("events-", "journal.schema.json")).isGreaterThan(100);
        assertThat(check("runs.jsonl", "runs.schema.json")).isEqualTo(20);
    }

    /** How many lines there are in the files whose names begin like that. */
    private int check(String files, String name) throws IOException {
        JsonObject schema = strict(name);
        Validator validator = new ValidatorFactory()
                .withJsonNodeFactory(new GsonNode.Factory())
                .createValidator();
        URI uri = validator.registerSchema(schema.toString());
        List<String> lines = lines(files);
        for (String line : lines) {
            JsonObject json = JsonParser.parseString(line).getAsJsonObject();
            assertThat(validator.validate(uri, json).isValid()).as(line).isTrue();
            assertThat(schema.getAsJsonObject("$defs")
                            .has(json.has("type") ? json.get("type").getAsString() : "run"))
                    .as(line)
                    .isTrue();
        }
        return lines.size();
    }

    private List<String> lines(String files) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.getFileName().toString().startsWith(files))
                    .flatMap(JournalSchemaTest::linesOf)
                    .toList();
        }
    }

    private static Stream<String> linesOf(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonObject strict(String name) throws IOException {
        try (InputStream in = requireNonNull(JsonlSink.class.getResourceAsStream(name))) {
            JsonObject schema = JsonParser.parseString(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .getAsJsonObject();
            for (JsonElement definition :
                    schema.getAsJsonObject("$defs").asMap().values()) {
                if (definition.getAsJsonObject().has("properties")) {
                    definition.getAsJsonObject().addProperty("additionalProperties", false);
                }
            }
            return schema;
        }
    }
}
