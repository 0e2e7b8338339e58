// 1: dev.rlm:sink-mlflow
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.mlflow.MlflowSink;
import java.net.URI;

class Page {
}
