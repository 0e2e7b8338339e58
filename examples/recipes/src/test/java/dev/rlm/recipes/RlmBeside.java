package dev.rlm.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A command of {@code rlm} that listens, in a process of its own, with its journal in a folder. */
public final class RlmBeside implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("http://[^\\s,]+");

    private final Path journal;
    private final Process process;
    private final List<String> addresses = new ArrayList<>();

    /** Starts it, and waits until it says where it listens. */
    public RlmBeside(Path journal, String... arguments) throws IOException {
        this.journal = journal;
        process = builder(journal, arguments).start();
        listen();
    }

    private static ProcessBuilder builder(Path journal, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(journal.getParent().toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment().put("RLM_JSONL_DIR", journal.toString());
        return builder;
    }

    /** Reads what it says up to its addresses. The rest is read away. */
    private void listen() throws IOException {
        BufferedReader lines = process.errorReader(StandardCharsets.UTF_8);
        StringBuilder said = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            said.append(line).append('\n');
            if (line.contains("listening on ")) {
                Matcher address = ADDRESS.matcher(line);
                while (address.find()) {
                    addresses.add(address.group());
                }
                Thread reader = new Thread(() -> lines.lines().forEach(rest -> {}), "lines-of-rlm");
                reader.setDaemon(true);
                reader.start();
                return;
            }
        }
        throw new AssertionError(said.toString());
    }

    /** Returns where it listens; for {@code collect} the address of HTTP, then that of gRPC. */
    public String url(int number) {
        return addresses.get(number);
    }

    /** Returns what another command says of the same journal, which is to end well. */
    public String tell(String... arguments) throws IOException, InterruptedException {
        Process asked = builder(journal, arguments).redirectErrorStream(true).start();
        asked.getOutputStream().close();
        String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(asked.waitFor()).as(said).isZero();
        return said;
    }

    public Path journal() {
        return journal;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
