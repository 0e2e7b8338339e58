package dev.rlm.cli.launcher;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Archive of the classes in the jars of the class path, made once a build: the many processes of the tests start faster by a third. */
final class ClassArchive {
    private static final Path TARGET = Path.of(URI.create(ClassArchive.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toString()))
            .resolveSibling("."); // of the classes, wherever the process was started
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    /** Commands that load the classes that most processes need, those of the servers too. */
    private static final List<List<String>> COMMANDS = List.of(
            List.of("run", "--samples", "1", "--rollouts", "1", "--sink", "jsonl"),
            List.of("collect", "--port", "0", "--", "true"),
            List.of("wrap", "--", "true"),
            List.of("report"));

    private static final List<String> OPTIONS = make();

    private ClassArchive() {}

    /** Returns the options of Java for the class path with the archive; without it where it cannot be made. */
    static List<String> options() {
        return OPTIONS;
    }

    private static List<String> make() {
        List<String> all = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
        List<String> jars = all.stream().filter(entry -> entry.endsWith(".jar")).toList();
        Stream<String> folders = all.stream().filter(entry -> !entry.endsWith(".jar"));
        List<String> options = new ArrayList<>(List.of("-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-cp"));
        options.add(Stream.concat(jars.stream(), folders) // an archive fits class paths that begin with its own
                .collect(Collectors.joining(File.pathSeparator)));
        try {
            Path archive = TARGET.resolve("classes-" + Integer.toHexString(stamp(jars)) + ".jsa");
            try (FileChannel turn = FileChannel.open(
                            TARGET.resolve("classes.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock ignored = turn.lock()) {
                if (Files.notExists(archive)) {
                    archive(archive, String.join(File.pathSeparator, jars), options);
                }
            }
            if (Files.exists(archive)) {
                options.add("-XX:SharedArchiveFile=" + archive);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(options);
    }

    private static int stamp(List<String> jars) throws IOException {
        List<Object> facts = new ArrayList<>();
        for (String jar : jars) {
            facts.addAll(List.of(jar, Files.size(Path.of(jar)), Files.getLastModifiedTime(Path.of(jar))));
        }
        return facts.hashCode();
    }

    private static void archive(Path archive, String jars, List<String> options) throws IOException {
        Path folder = Files.createTempDirectory(TARGET, "classes");
        Path list = folder.resolve("list");
        Path loaded = folder.resolve("loaded");
        Set<String> classes = new LinkedHashSet<>();
        for (List<String> arguments : COMMANDS) {
            List<String> command = new ArrayList<>(options);
            command.addAll(List.of("-XX:DumpLoadedClassList=" + loaded, Main.class.getName()));
            command.addAll(arguments);
            if (java(folder, command) == 0 && Files.exists(loaded)) {
                classes.addAll(Files.readAllLines(loaded));
            }
        }
        Files.write(list, classes);
        Path made = folder.resolve("made");
        if (java(
                        folder,
                        Arrays.asList(
                                "-Xshare:dump",
                                "-XX:SharedClassListFile=" + list,
                                "-XX:SharedArchiveFile=" + made,
                                "-cp",
                                jars))
                == 0) {
            Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static int java(Path folder, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        try {
            return builder.start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }
}
