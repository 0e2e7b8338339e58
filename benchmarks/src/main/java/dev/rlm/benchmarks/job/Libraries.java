package dev.rlm.benchmarks.job;

import dev.rlm.benchmarks.figure.Contender;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A contender that is a set of modules: how large their archives are, with all that they need while they run. */
record Libraries(String name, Path root, List<String> modules) implements Contender {
    /** The name of its value. */
    static final String MEGABYTES = "MB";

    private static final double MEGABYTE = 1e6;

    @Override
    public Sample measure() {
        Set<Path> archives = modules.stream()
                .map(root::resolve)
                .flatMap(module -> Stream.concat(archives(module), dependencies(module)))
                .collect(Collectors.toSet());
        return new Sample(
                Map.of(MEGABYTES, archives.stream().mapToLong(Libraries::size).sum() / MEGABYTE));
    }

    /** Returns the archives of the module itself. */
    private static Stream<Path> archives(Path module) {
        try (Stream<Path> files = Files.list(module.resolve("target"))) {
            return files
                    .filter(file ->
                            file.getFileName().toString().matches(module.getFileName() + "-[^-]*(-SNAPSHOT)?\\.jar"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new FigureException(module + ": " + e.getMessage());
        }
    }

    private static Stream<Path> dependencies(Path module) {
        try {
            String classpath = Files.readString(module.resolve("target/runtime.classpath"));
            return Arrays.stream(classpath.strip().split(File.pathSeparator, -1))
                    .map(Path::of);
        } catch (IOException e) {
            throw new FigureException(module + ": " + e.getMessage());
        }
    }

    private static long size(Path archive) {
        try {
            return Files.size(archive);
        } catch (IOException e) {
            throw new FigureException(archive + ": " + e.getMessage());
        }
    }
}
