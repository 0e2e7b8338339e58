// 1: dev.rlm:sinks-api
class Page {
}
