package dev.rlm.cli.launcher;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The repository that this module lies in, as its tests read it. */
final class Repository {
    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    private static final Set<String> MADE = Set.of("target", "build", "node_modules");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    private Repository() {}

    /**
     * Returns files in the order of their names, without hidden folders and those that builds make.
     *
     * @param chosen told the path from the root, with slashes
     */
    static List<Path> files(Predicate<String> chosen) throws IOException {
        Set<Path> files = new TreeSet<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped = !folder.equals(ROOT) && (name.startsWith(".") || MADE.contains(name));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (chosen.test(name(file))) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return List.copyOf(files);
    }

    /** Returns the path of a file from the root, with slashes. */
    static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    /** Returns the folder of a module. */
    static Path folder(String module) throws IOException {
        return modules().stream()
                .filter(folder -> ("/" + folder).endsWith("/" + module))
                .findFirst()
                .map(ROOT::resolve)
                .orElseThrow(() -> new IOException("no module " + module));
    }

    /** Returns the folders of all modules, of profiles too, in the order of the parent's pom. */
    static List<String> modules() throws IOException {
        return MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .toList();
    }
}
