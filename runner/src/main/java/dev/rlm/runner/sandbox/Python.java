package dev.rlm.runner.sandbox;

import dev.rlm.episodes.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A Python that was found.
 *
 * @param executable the program itself, and no script that looks for it
 * @param folders that it needs besides those of the system, each by every name that it goes by
 */
record Python(Path executable, Set<Path> folders) {
    private static final int PATIENCE_SECONDS = 30;
    private static final String QUESTION = """
            import os, sys
            if sys.version_info < (3, 8):
                sys.exit("it is older than 3.8")
            print(sys.executable)
            for folder in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix):
                print(folder)
                print(os.path.realpath(folder))
            """;

    /**
     * Asks it where it lives.
     *
     * @param environment whose code it is to run, for messages
     * @param command a path, or a name on the {@code PATH}
     * @throws SetupException if there is none that could be used
     */
    static Python find(String environment, String command) {
        try {
            Process process = new ProcessBuilder(command, "-I", "-c", QUESTION)
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw unusable(
                        environment, command, said.isEmpty() ? "it fails" : said.substring(said.lastIndexOf('\n') + 1));
            }
            return of(environment, said.lines().map(Path::of).toList());
        } catch (IOException e) {
            throw unusable(environment, command, "it cannot be started");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unusable(environment, command, "interrupted");
        }
    }

    private static SetupException unusable(String environment, String command, String reason) {
        return new SetupException("--env " + environment + " cannot use '" + command + "' (" + reason
                + "): install Python 3.8 or newer, or name one with --python PATH");
    }

    private static Python of(String environment, List<Path> said) {
        Path home = Path.of(System.getProperty("user.home", "/"));
        Set<Path> folders = new LinkedHashSet<>();
        for (Path folder : said.subList(1, said.size())) {
            if (folder.getParent() != null && !folder.startsWith("/usr")) {
                if (home.startsWith(folder)) {
                    throw new SetupException(
                            "--env " + environment + " cannot use " + said.get(0) + ": it needs all of " + folder
                                    + ", which is not for the eyes of agents; make a virtual environment and name its python");
                }
                folders.add(folder);
            }
        }
        return new Python(said.get(0), folders);
    }
}
