package dev.rlm.sinks;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Places of plug-ins: the class path, and the jars of the folder that {@code RLM_PLUGINS} names. */
public final class Plugins {
    static final String FOLDER = "RLM_PLUGINS";

    private final ClassLoader classLoader;
    private final List<String> unreadable = new ArrayList<>();

    /**
     * Looks into the folder.
     *
     * @throws SinkConfigException if there is no such folder
     */
    public Plugins(SinkConfig config) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader parent = context == null ? Plugins.class.getClassLoader() : context;
        this.classLoader = config.shared()
                .path(FOLDER)
                .<ClassLoader>map(folder -> new URLClassLoader("rlm-plugins", jars(config, folder), parent))
                .orElse(parent);
    }

    /** Returns the loader of their classes, for {@link java.util.ServiceLoader}. */
    public ClassLoader classLoader() {
        return classLoader;
    }

    /** Those of the jars that cannot be read, each as a line. */
    public List<String> unreadable() {
        return List.copyOf(unreadable);
    }

    private URL[] jars(SinkConfig config, Path folder) {
        if (!Files.isDirectory(folder)) { // a pipe would not be opened for ever
            throw noFolder(config);
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<URL> jars = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                if (file.getFileName().toString().endsWith(".jar") && isReadable(file)) {
                    jars.add(file.toUri().toURL());
                }
            }
            return jars.toArray(new URL[0]);
        } catch (IOException e) {
            throw noFolder(config);
        }
    }

    private static SinkConfigException noFolder(SinkConfig config) {
        return config.shared().invalid(FOLDER, "a readable folder of jars");
    }

    /** Class loaders pass over a file that is no jar without a word. */
    private boolean isReadable(Path file) {
        boolean readable = false;
        if (Files.isRegularFile(file)) { // a pipe may never end
            try (JarFile jar = new JarFile(file.toFile())) {
                readable = jar.size() >= 0;
            } catch (IOException e) {
                // told below
            }
        }
        if (!readable) {
            unreadable.add(file + " is not a readable jar");
        }
        return readable;
    }
}
