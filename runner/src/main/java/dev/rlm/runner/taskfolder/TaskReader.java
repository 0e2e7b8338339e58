package dev.rlm.runner.taskfolder;

import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.dataformat.toml.TomlFactory;

/** Reads tasks from a folder that holds a folder for each, or is one itself. */
final class TaskReader {
    private static final Duration VERIFIER_TIME = Duration.ofMinutes(10);
    private static final BigDecimal MAX_SECONDS =
            BigDecimal.valueOf(Duration.ofDays(7).toSeconds());
    private static final String INSTRUCTION = "instruction.md";
    private static final TomlFactory TOML = new TomlFactory();

    private TaskReader() {}

    /**
     * Reads all tasks, in the order of their names.
     *
     * @param skipBad whether to pass over folders that are no tasks
     */
    static Samples read(@Nullable Path dataset, boolean skipBad) throws SetupException {
        if (dataset == null) {
            throw new SetupException("--env task-folder wants --dataset FOLDER, with a folder for each task in it");
        } else if (!Files.isDirectory(dataset)) {
            throw new SetupException(
                    "--dataset " + dataset + (Files.exists(dataset) ? " is no folder" : " is not there")
                            + ": --env task-folder wants a folder with a folder for each task in it");
        }
        List<TaskFolder> tasks = new ArrayList<>();
        List<String> bad = new ArrayList<>();
        for (Path folder : folders(dataset)) {
            try {
                tasks.add(read(folder, tasks.size() + bad.size() + 1));
            } catch (SetupException e) {
                if (!skipBad) {
                    throw e;
                }
                bad.add(String.valueOf(e.getMessage()));
            }
        }
        if (tasks.isEmpty()) {
            throw new SetupException("--dataset " + dataset
                    + " has no task in it: expected folders with instruction.md and tests/test.sh");
        }
        return new Samples(tasks, bad);
    }

    private static List<Path> folders(Path dataset) {
        if (Files.exists(dataset.resolve(INSTRUCTION)) || Files.exists(dataset.resolve("task.toml"))) {
            return List.of(dataset);
        }
        try (Stream<Path> inside = Files.list(dataset)) {
            return inside.filter(Files::isDirectory)
                    .filter(folder -> !folder.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new SetupException("--dataset " + dataset + " cannot be read: " + e);
        }
    }

    private static TaskFolder read(Path folder, int row) {
        try {
            Path real = folder.toRealPath();
            for (String file : List.of(INSTRUCTION, "tests/test.sh")) {
                if (!Files.isRegularFile(real.resolve(file))) {
                    throw new SetupException("the task " + folder + " has no " + file
                            + ": expected instruction.md and tests/test.sh; --skip-bad-lines passes over it");
                }
            }
            Map<String, String> settings = settings(real.resolve("task.toml"));
            Duration verifierTime = time(folder, settings, "verifier");
            return new TaskFolder(
                    real,
                    String.valueOf(real.getFileName()),
                    row,
                    Files.readString(real.resolve(INSTRUCTION)).strip(),
                    time(folder, settings, "agent"),
                    verifierTime == null ? VERIFIER_TIME : verifierTime,
                    workdir(folder, settings.get("/environment/workdir")));
        } catch (IOException e) {
            throw new SetupException("the task " + folder + " cannot be read: " + e);
        }
    }

    /** Reads the single values of a file of TOML, by their places as JSON pointers have them; none where there is no file. */
    private static Map<String, String> settings(Path file) throws IOException {
        Map<String, String> settings = new HashMap<>();
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new SetupException(file + " is no file");
        }
        String text = Files.exists(file) ? Files.readString(file) : "";
        try (JsonParser toml = TOML.createParser(ObjectReadContext.empty(), text)) {
            while (toml.nextToken() != null) {
                if (toml.currentToken().isScalarValue()) {
                    settings.put(toml.streamReadContext().pathAsPointer().toString(), toml.getString());
                }
            }
        } catch (JacksonException e) {
            throw new SetupException(
                    file + ", line " + e.getLocation().getLineNr() + ": no TOML: " + e.getOriginalMessage());
        }
        return settings;
    }

    private static @Nullable Duration time(Path folder, Map<String, String> settings, String whose) {
        String text = settings.get("/" + whose + "/timeout_sec");
        if (text == null) {
            return null;
        }
        try {
            BigDecimal seconds = new BigDecimal(text);
            if (seconds.signum() > 0 && seconds.compareTo(MAX_SECONDS) <= 0) {
                return Duration.ofMillis(Math.max(1, seconds.movePointRight(3).longValue()));
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new SetupException(folder + "/task.toml: [" + whose + "] timeout_sec = " + text
                + " is not valid: expected a number of seconds above 0, and a week at the most");
    }

    private static @Nullable String workdir(Path folder, @Nullable String name) {
        if (name != null && (!name.matches("(/[\\w.-]+)+") || name.matches(".*/\\.\\.?(/.*)?"))) {
            throw new SetupException(folder + "/task.toml: [environment] workdir = " + name
                    + " is not valid: expected a path like /app");
        }
        return name;
    }
}
